import { z } from 'zod';
import { type ProjectFolder, readPackageScripts } from '../../core/project/package-scripts.ts';
import { openProjectFolder } from '../../process/open-project-folder.ts';
import { defineTool, fail, failWith } from '../tool/tool.ts';
import { findQualityCommand, QUALITY_SECONDS, type QualityOrder, runQuality, toOrder, withWords } from './quality/run-quality.ts';

const parameters = z.strictObject({
  target: z.string().trim().min(1).max(100).optional().describe('Only a part: a script build:<target>, a make target, a package.'),
});

type Args = z.infer<typeof parameters>;

export const runBuildTool = defineTool<Args>({
  name: 'run_build',
  group: 'quality',
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  description: 'Builds the project, with the configured command or the one its files tell, and returns the end of the output.',
  parameters,
  run: async ({ target }, context) => {
    const found = findQualityCommand('build', context);
    if (!found.ok) return failWith(found.refused);
    if (target === undefined) return runQuality(found.value, 'other', QUALITY_SECONDS.usual, context);
    if (!isSafeTarget(target))
      return fail('The target is no name of one.', 'Use letters, digits and _ . / : @ - only, and no - or / first.');
    const order = planBuildTarget(found.value, target, openProjectFolder(context.jail.workspace));
    if (order === null) return fail(`\`${found.value.shown}\` has no part ${target} that is known.`, 'Call run_build without a target.');
    if (!context.mayWrite && !isPlainBuild(order))
      return fail(
        'This hat may not change files, and that target may do anything.',
        'Call run_build without a target, or with a build:… of the project.',
      );
    return runQuality(order, 'other', QUALITY_SECONDS.usual, context);
  },
});

const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];

/** True for a name that no build tool takes for an option or a path that leads out. */
function isSafeTarget(target: string): boolean {
  return /^[A-Za-z0-9_./:@-]{1,100}$/.test(target) && !/^[-/]|\.\./.test(target);
}

/**
 * Whether a hat that may not write can have this part. A target can do anything, `deploy` and `clean` among it, so only one that is called a build;
 * for Gradle a colon leads into a project, to any task of it.
 *
 * @param order what `planBuildTarget` planned
 */
export function isPlainBuild({ shown }: QualityOrder): boolean {
  const name = shown.slice(shown.lastIndexOf(' ') + 1);
  return (/^(?:\.\/gradlew|gradle) /.test(shown) ? /^build(?:[_-][^:]*)?$/ : /^build(?:[:_-]|$)/).test(name);
}

/**
 * How only a part of a project is built: the script `build:<target>`, the target of a Makefile, the package of a Cargo or Go project; `null` where there
 * is no such thing or it is not known.
 */
export function planBuildTarget(order: QualityOrder, target: string, folder: ProjectFolder): QualityOrder | null {
  const scripts = readPackageScripts(folder);
  if (scripts?.names.includes(`build:${target}`)) return toOrder(scripts.toCommand(`build:${target}`));
  if (order.shown === 'make build') return hasTarget(folder, target) ? toOrder(`make ${target}`) : null;
  if (order.shown === 'cargo build') return withWords(order, ['-p', target]);
  if (order.shown === 'go build ./...') return toOrder(`go build ./${target.replace(/^\.\//, '')}`);
  if (/^(?:\.\/gradlew|gradle) assemble$/.test(order.shown)) return toOrder(`${order.words?.[0] ?? 'gradle'} ${target}`);
  return null;
}

function hasTarget({ names, readText }: ProjectFolder, target: string): boolean {
  const file = MAKEFILES.find((name) => names.includes(name));
  const text = file === undefined ? '' : (readText(file) ?? '');
  return text.split('\n').some((line) => line.startsWith(target) && /^[ \t]*:(?!=)/.test(line.slice(target.length)));
}
