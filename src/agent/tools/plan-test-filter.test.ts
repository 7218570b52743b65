import fc from 'fast-check';
import { expect, it } from 'vitest';

import { isSafeFilter, planTestFilter } from './plan-test-filter.ts';
import { toOrder, withWords } from './quality-commands.ts';

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
