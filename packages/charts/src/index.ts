export * from './spec/chart-spec.ts';
