import { shorten } from '../core/text/shorten.ts';
import { cleanForPrompt } from './prompt-text.ts';

/** A merge that git could not finish, as the agent that resolves it is told. Names and words of others may hold anything. */
export interface MergeFacts {
  readonly runId: string;
  /** What the run was asked for. */
  readonly task: string;
  /** Short names of the run's branch and of the one that it goes into. */
  readonly branch: string;
  readonly onto: string;
  /** Paths from the top of the repository. */
  readonly files: readonly { readonly path: string; readonly what: string; readonly isMarked: boolean }[];
  /** The newest commits that touched these files, a line each. */
  readonly ontoCommits: readonly string[];
  readonly branchCommits: readonly string[];
}

const SHOWN_FILES = 100;
const SHOWN_COMMITS = 10;
const LINE_CHARS = 200;
const TASK_CHARS = 4000;

/** The objective of a turn that resolves the conflicts of a merge: what is in conflict, and what each side is. */
export function buildMergeObjective({ runId, task, branch, onto, files, ontoCommits, branchCommits }: MergeFacts): string {
  const rest = files.length - SHOWN_FILES;
  return [
    `Resolve the conflicts of a merge: ${inTicks(branch)} into ${inTicks(onto)}.`,
    '',
    'The merge is under way in this folder, and git could not finish it. In conflict, from the top of the repository:',
    ...files
      .slice(0, SHOWN_FILES)
      .map(({ path, what, isMarked }) => `- ${inTicks(path)}: ${what}${isMarked ? '' : '; git marks no place in it'}`),
    ...(rest > 0 ? [`- and ${rest} more: \`git diff --name-only --diff-filter=U\``] : []),
    '',
    `One side, HEAD, above \`=======\`: ${inTicks(onto)}. ${toCommits(ontoCommits)}`,
    ...toList(ontoCommits),
    '',
    `The other side, MERGE_HEAD, below it: ${inTicks(branch)}, the work of run ${runId}. ${toCommits(branchCommits)}`,
    ...toList(branchCommits),
    '',
    'The task of that run was:',
    ...quote(task),
  ].join('\n');
}

/** The instructions of every such turn. */
export const MERGE_RULES = [
  'A merge is under way in this folder; the objective says which. Resolve its conflicts, nothing else.',
  '',
  '- Keep the intent of both sides. Read the code that calls the conflicting places; `git log -p HEAD...MERGE_HEAD -- FILE` shows how each side came about. If both cannot hold, say in your final message what you chose, and why.',
  '- Leave no conflict marker (`<<<<<<<`, `=======`, `>>>>>>>`) in any file.',
  '- If git marks no place (binary, a link, deleted on one side), write the file as it should be, then run `git add` or `git rm`; otherwise it counts as undecided. Delete no file that both sides have.',
  '- Touch other files only if the merge needs it.',
  '- Do not commit, do not abort or restart the merge, do not change the branch. Ralph looks at the files, commits the merge and runs the gates.',
].join('\n');

function toCommits(commits: readonly string[]): string {
  return commits.length === 0 ? 'No commit of its own touched them.' : 'Its newest commits that touched them:';
}

function toList(commits: readonly string[]): readonly string[] {
  return commits.slice(0, SHOWN_COMMITS).map((commit) => `- ${toLine(commit)}`);
}

function toLine(text: string): string {
  const line = cleanForPrompt(text).replace(/\s+/g, ' ').trim();
  return shorten(line, LINE_CHARS);
}

function inTicks(text: string): string {
  return `\`${toLine(text).replaceAll('`', "'")}\``;
}

/** As a quotation: none of its lines is taken for one of ours. */
function quote(text: string): readonly string[] {
  const clean = cleanForPrompt(text).trim();
  return shorten(clean, TASK_CHARS)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd());
}
