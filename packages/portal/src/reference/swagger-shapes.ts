/** The parts of Swagger UI that our page touches. */

/** React's, as far as we use it: elements are made by it and never looked into. */
export interface SwaggerReact {
  createElement(type: unknown, props: object | null, ...children: readonly unknown[]): unknown;
  readonly Fragment: unknown;
}

export interface SwaggerRequest {
  url: string;
  credentials?: string;
}

export interface SwaggerSystem {
  readonly React: SwaggerReact;
  readonly layoutActions: {
    show(thing: readonly string[], isShown: boolean): void;
  };
}

interface SwaggerOptions {
  readonly domNode: HTMLElement;
  readonly spec: object;
  readonly presets: readonly unknown[];
  readonly plugins: readonly unknown[];
  readonly layout: 'BaseLayout';
  readonly deepLinking: boolean;
  readonly docExpansion: 'list';
  readonly defaultModelsExpandDepth: number;
  readonly defaultModelRendering: 'example';
  readonly displayRequestDuration: boolean;
  readonly syntaxHighlight: false;
  readonly validatorUrl: null;
  readonly showMutatedRequest: boolean;
  readonly requestInterceptor: (request: SwaggerRequest) => SwaggerRequest;
  readonly onComplete: () => void;
}

export interface SwaggerUi {
  (options: SwaggerOptions): SwaggerSystem;
  readonly presets: { readonly apis: unknown };
}
