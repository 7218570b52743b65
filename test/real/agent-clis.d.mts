export * from '../../src/backends/index.ts';
