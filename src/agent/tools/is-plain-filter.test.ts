import { describe, expect, it } from 'vitest';
import { isPlainFilter } from './is-plain-filter.ts';

function isPlain(command: string, filter: string, test?: string): boolean {
  const text = JSON.stringify({ scripts: { test } });
  return isPlainFilter(command, filter, { names: ['package.json'], readText: () => text });
}

describe('a filter of a hat that may not write', () => {
  it.each(['make test', 'make', 'node run.mjs', 'sh test.sh', 'vitest', 'tsc && vitest run', 'vitest run; make'])(
    'is refused where the test script is `%s`, which may take it for something else',
    (test) => {
      expect(isPlain('npm test', 'deploy', test)).toBe(false);
    },
  );

  it.each(['vitest run', 'jest --ci', 'ava'])('chooses tests where the test script is `%s`', (test) => {
    expect(isPlain('npm test', 'parser', test)).toBe(true);
    expect(isPlain('yarn run test', 'parser', test)).toBe(true);
  });

  it('has no second word where a shell hands it on', () => {
    expect(isPlain('pnpm test', 'x --outputFile=a', 'vitest run')).toBe(false);
  });

  it.each(['pytest -q', 'npx mocha', 'mix test', 'node --test'])('names no file for `%s` but a test', (command) => {
    for (const file of ['tools/deploy.py', 'tools/deploy.exs', 'a/../../x/test_a.py', '/tmp/test_a.py', 'tests/'])
      expect(isPlain(command, file)).toBe(false);
    expect(isPlain(command, 'tests/test_a.py')).toBe(true);
    expect(isPlain(command, 'tests/a_test.exs')).toBe(true);
  });

  it.each(['cargo test', 'go test ./...', 'gradle test', './mvnw -B test', 'dotnet test', 'bun test', 'pytest -q'])(
    'is a pattern for `%s`',
    (command) => {
      expect(isPlain(command, 'parser')).toBe(true);
    },
  );

  it('is refused where there is no such script', () => {
    expect(isPlainFilter('npm test', 'x', { names: [], readText: () => null })).toBe(false);
  });
});
