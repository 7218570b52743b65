export * from '../../src/mock-model/index.ts';
