import { describe, expect, it } from 'vitest';
import { classifyPath } from './classify-paths.ts';

const NPM = { gateCommands: ['npm test'] };

describe('classifyPath', () => {
  it.each([
    ['package.json', 'npm test'],
    ['package.json', 'CI=1 pnpm run test'],
    ['Makefile', 'make check'],
    ['justfile', 'just test'],
    ['scripts/check.sh', './scripts/check.sh --all'],
    ['scripts/check.sh', 'bash -c "cd . && scripts/check.sh"'],
    ['pyproject.toml', 'uv run pytest -q'],
    ['go.mod', 'go test ./...'],
    ['vitest.config.ts', 'node_modules/.bin/vitest run'],
  ])('%s belongs to the gate %s', (path, command) => {
    expect(classifyPath(path, { gateCommands: [command] })).toBe('gate');
  });

  it.each([
    'test/cart.test.mjs',
    'src/cart.spec.ts',
    'src/__tests__/cart.js',
    'cart_test.go',
    'tests/test_cart.py',
    'test_cart.py',
    'src/CartTest.java',
    'spec/cart_spec.rb',
    'src/cart.test.ts',
    'e2e/login.ts',
    'a/__snapshots__/x.snap',
  ])('%s is a test', (path) => {
    expect(classifyPath(path, NPM)).toBe('test');
  });

  it.each([
    '.github/workflows/ci.yml',
    'tsconfig.build.json',
    'packages/a/package.json',
    'Dockerfile',
    '.gitattributes',
    'ralph.yml',
    '.env.local',
  ])('%s is configuration', (path) => {
    expect(classifyPath(path, NPM)).toBe('configuration');
  });

  it.each(['src/cart.ts', 'src/latest.ts', 'README.md', 'src/contest/board.ts', 'src/attest.py', 'docs/testing.md', 'a\nb/c.ts'])(
    '%j is the work itself',
    (path) => {
      expect(classifyPath(path, NPM)).toBeNull();
    },
  );

  it('a protected file is one, unless a gate runs it', () => {
    const rules = { gateCommands: ['./check.sh'], isProtected: () => true };
    expect(classifyPath('src/cart.ts', rules)).toBe('protected');
    expect(classifyPath('check.sh', rules)).toBe('gate');
  });

  it('a file that names the command of a gate is one of it, wherever it lies', () => {
    const path = '.github/workflows/ci.yml';
    expect(classifyPath(path, { gateCommands: ['pytest'], gateFiles: [path] })).toBe('gate');
  });

  it('a long name takes no longer than a short one, however often it repeats itself', () => {
    const started = performance.now();
    classifyPath(`${'test_'.repeat(20_000)}x`, { gateCommands: ['npm '.repeat(20_000)] });
    classifyPath(`${'a.'.repeat(20_000)}config`, NPM);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
