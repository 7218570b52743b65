import { expect, it } from 'vitest';
import type { ProjectFolder } from '../../core/project/package-scripts.ts';
import { toOrder } from './quality/run-quality.ts';
import { isPlainBuild, planBuildTarget } from './run-build.ts';

const MAKEFILE = 'build:\n\ttrue\nbuild-docs:\n\ttrue\nbuilder:\n\ttrue\ndeploy:\n\ttrue\nclean:\n\ttrue\n';
const SCRIPTS = JSON.stringify({ scripts: { build: 'x', 'build:docs': 'y', deploy: 'z' } });

function toFolder(files: Readonly<Record<string, string>>): ProjectFolder {
  return { names: Object.keys(files), readText: (name) => files[name] ?? null };
}

function isPlain(command: string, target: string, files: Readonly<Record<string, string>> = {}): boolean | null {
  const order = planBuildTarget(toOrder(command), target, toFolder(files));
  return order === null ? null : isPlainBuild(order);
}

it.each(['deploy', 'clean', 'builder'])('a hat that may not write does not get the target %s of a Makefile', (target) => {
  expect(isPlain('make build', target, { Makefile: MAKEFILE })).toBe(false);
});

it.each(['build', 'build-docs'])('a hat that may not write gets the target %s of a Makefile', (target) => {
  expect(isPlain('make build', target, { Makefile: MAKEFILE })).toBe(true);
});

it('a script build:… is a build, whatever stands behind the colon; other scripts are no targets', () => {
  expect(isPlain('npm run build', 'docs', { 'package.json': SCRIPTS })).toBe(true);
  expect(isPlain('npm run build', 'deploy', { 'package.json': SCRIPTS })).toBeNull();
});

it.each([
  ['publish', false],
  ['build:publish', false],
  [':build:publish', false],
  ['build', true],
])('for Gradle the task %s is a plain build: %s', (target, expected) => {
  expect(isPlain('gradle assemble', target)).toBe(expected);
  expect(isPlain('./gradlew assemble', target)).toBe(expected);
});
