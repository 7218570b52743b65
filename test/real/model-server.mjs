/**
 * The mock model server of the room `mock-model`, from the build: what is proved with it here is what `ralph doctor --probe` uses.
 * TypeScript takes it from `src/mock-model/index.ts`.
 */
export * from '../../dist/mock-model.js';
