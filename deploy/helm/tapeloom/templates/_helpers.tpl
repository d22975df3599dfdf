{{- define "tapeloom.labels" -}}
app.kubernetes.io/name: tapeloom
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tapeloom.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{- define "tapeloom.environment" -}}
- name: TAPELOOM_PUBLIC_URL
  value: {{ required "publicUrl is where people reach the service" .Values.publicUrl | quote }}
- name: TAPELOOM_INTERNAL_HOST
  value: "0.0.0.0"
{{- if .Values.trustedProxies }}
- name: TAPELOOM_TRUSTED_PROXIES
  value: {{ join "," .Values.trustedProxies | quote }}
{{- end }}
{{- if .Values.cluster.enabled }}
- name: TAPELOOM_NODE
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- name: TAPELOOM_INTERNAL_URL
  value: "http://$(TAPELOOM_NODE).{{ .Release.Name }}-nodes:9464"
- name: TAPELOOM_POSTGRES_URL
  value: {{ required "cluster.postgresUrl is missing" .Values.cluster.postgresUrl | quote }}
- name: TAPELOOM_NATS_URL
  value: {{ required "cluster.natsUrl is missing" .Values.cluster.natsUrl | quote }}
- name: TAPELOOM_NATS_MONITOR
  value: {{ .Values.cluster.natsMonitor | quote }}
{{- end }}
{{- range $name, $key := .Values.secret.files }}
- name: {{ $name }}
  value: /run/secrets/tapeloom/{{ $key }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "tapeloom.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "tapeloom.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "tapeloom.mounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if .Values.secret.files }}
- { name: secret, mountPath: /run/secrets/tapeloom, readOnly: true }
{{- end }}
{{- if .Values.files }}
- { name: files, mountPath: /etc/tapeloom, readOnly: true }
{{- end }}
{{- end }}

{{- define "tapeloom.volumes" -}}
- { name: tmp, emptyDir: {} }
{{- if .Values.secret.files }}
- name: secret
  secret: { secretName: {{ required "secret.name is missing" .Values.secret.name | quote }}, defaultMode: 288 }
{{- end }}
{{- if .Values.files }}
- name: files
  configMap: { name: {{ .Release.Name }}-files }
{{- end }}
{{- end }}
