/** Swagger UI ships no types: this declares what we use. */

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  const swaggerUi: import('./swagger-shapes.ts').SwaggerUi;
  export = swaggerUi;
}
