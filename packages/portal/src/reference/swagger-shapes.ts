/** The parts of Swagger UI that our page uses. */

/** React's part: elements are created and never inspected. */
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

export interface SwaggerUi {
  (options: object): SwaggerSystem;
  readonly presets: { readonly apis: unknown };
}
