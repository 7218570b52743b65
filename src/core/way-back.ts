import { toShellWord } from './shell-word.ts';

/**
 * What a person types to go on with a run whose journal was lost under it.
 *
 * @param rescued absolute path of the folder with what was recorded: `.ralph/rescue/<run>`, beside `.ralph/runs`
 */
export function toWayBack(rescued: string, runId: string): string {
  const run = toShellWord(rescued.replace(/rescue(?=[\\/][^\\/]+$)/, 'runs'));
  return `Bring it back and go on: \`mkdir -p ${run} && cp -R ${toShellWord(rescued)}/. ${run}/ && ralph resume ${runId}\``;
}
