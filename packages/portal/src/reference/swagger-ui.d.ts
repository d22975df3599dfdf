/** Swagger UI brings no types: what we use of it. */

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  const swaggerUi: import('./swagger-shapes.ts').SwaggerUi;
  export = swaggerUi;
}
