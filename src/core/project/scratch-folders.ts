/** A folder that builds and tests write to, and no person does. */
export interface ScratchFolder {
  /** Relative to the workspace. */
  readonly glob: string;
  /** A file or folder beside which it is made; absent: it is used only where it is there already. */
  readonly beside?: string;
}

/** Folders that stay writable for hats that may not write, so that they can run the tests. */
export const USUAL_SCRATCH: readonly ScratchFolder[] = [
  { glob: 'build', beside: 'gradlew' },
  { glob: 'dist' },
  { glob: 'out' },
  { glob: 'coverage', beside: 'package.json' },
  { glob: '.nyc_output' },
  { glob: 'test-results' },
  { glob: 'playwright-report' },
  { glob: '.next' },
  { glob: '.turbo' },
  { glob: 'node_modules/.cache', beside: 'node_modules' },
  { glob: 'node_modules/.vite', beside: 'node_modules' },
  { glob: 'node_modules/.vite-temp', beside: 'node_modules' },
  { glob: 'node_modules/.vitest' },
  { glob: 'node_modules/.tmp' },
  { glob: 'target', beside: 'Cargo.toml' },
  { glob: 'target', beside: 'pom.xml' },
  { glob: '.gradle', beside: 'gradlew' },
  { glob: 'obj' },
  { glob: '.pytest_cache', beside: 'pyproject.toml' },
  { glob: '.mypy_cache' },
  { glob: '.ruff_cache' },
  { glob: '.tox' },
  { glob: 'htmlcov' },
  { glob: '**/__pycache__' },
];
