import { maskControls } from '../core/index.ts';

/** The longest part of a name that tells of the task. */
const MAX_SLUG = 40;

/** What a run's worktree is called where nobody named it: by its id and the first words of its task. */
export function toWorktreeName(runId: string, objective: string): string {
  const slug = toSlug(objective);
  return slug === '' ? runId : `${runId}-${slug}`;
}

/** Whether a worktree bears the name that {@link toWorktreeName} gives, whatever the task. */
export function isWorktreeOf(runId: string, name: string): boolean {
  return name === runId || name.startsWith(`${runId}-`);
}

/** `[a-z0-9-]`, cut between words where there is a place for it; empty for a task without a letter that a branch can bear everywhere. */
function toSlug(objective: string): string {
  const words = objective
    .slice(0, 400)
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  let slug = (words[0] ?? '').slice(0, MAX_SLUG);
  for (const word of words.slice(1)) {
    if (slug.length + 1 + word.length > MAX_SLUG) break;
    slug = `${slug}-${word}`;
  }
  return slug;
}

/** Git shows about so much of a first line. */
const MAX_SUBJECT = 72;

/** The first line of the message of the commit that ends a run in its worktree: once it has landed, it is part of the project's own history. */
export function toCommitSubject(objective: string): string {
  const lines = objective.slice(0, 4000).split('\n');
  const task = lines
    .map((line) =>
      maskControls(line)
        .replace(/^[\s#>*-]*(?:\[[ xX]\])?\s*/, '')
        .trim(),
    )
    .find((line) => line !== '');
  const subject = `ralph: ${task ?? 'the work of a run'}`;
  return subject.length <= MAX_SUBJECT ? subject : `${subject.slice(0, MAX_SUBJECT - 1).trimEnd()}…`;
}
