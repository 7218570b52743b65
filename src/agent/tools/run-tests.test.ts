import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toOrder, withWords } from './quality/run-quality.ts';
import { isPlainFilter, isSafeFilter, planTestFilter } from './run-tests.ts';

it.each([
  ['npm test', 'npm test -- parser'],
  ['pnpm run test', 'pnpm run test parser'],
  ['bun run test', 'bun run test parser'],
  ['npx vitest run', 'npx vitest run parser'],
  ['pytest -q', 'pytest -q -k parser'],
  ['cargo test', 'cargo test parser'],
  ['go test ./...', 'go test ./... -run parser'],
  ['./mvnw -B test', './mvnw -B test -Dtest=parser'],
  ['gradle test', 'gradle test --tests parser'],
  ['dotnet test', 'dotnet test --filter parser'],
])('makes `%s` run only some tests', (command, filtered) => {
  expect(withWords(toOrder(command), planTestFilter(command, 'parser') ?? [])?.shown).toBe(filtered);
});

it.each(['make test', 'echo x', 'ruby test.rb'])('does not know how to filter `%s`', (command) => {
  expect(planTestFilter(command, 'x')).toBeNull();
});

it('takes a file of Python for a file', () => {
  expect(planTestFilter('pytest -q', 'tests/test_a.py::test_b')).toEqual(['tests/test_a.py::test_b']);
});

it('lets the patterns of Go through to Go, and not to a shell', () => {
  expect(isSafeFilter('^TestA|TestB$', 'go test ./...')).toBe(true);
  expect(isSafeFilter('^TestA|TestB$', 'npm test')).toBe(false);
});

it('lets nothing through that a shell would obey', () => {
  const evil = fc.constantFrom(';', '|', '&', '$', '`', '>', '<', '(', ')', '\n', '\\', '"', "'", '*', '?', '!', '{', '~', '\0');
  fc.assert(fc.property(fc.string(), evil, fc.string(), (left, middle, right) => !isSafeFilter(left + middle + right, 'npm test')));
});

it('starts a plain line without a shell, and leaves any other to one', () => {
  expect(toOrder('npm run test:unit -- --bail').words).toEqual(['npm', 'run', 'test:unit', '--', '--bail']);
  for (const line of ['a && b', 'A=1 npm test', 'echo "x y"', 'a; b', 'cat < x', 'echo $HOME', '~/bin/test', 'a\nb'])
    expect(toOrder(line).words).toBeNull();
});

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
