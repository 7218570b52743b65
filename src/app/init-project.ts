import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RalphError } from '../core/index.ts';

/** What `ralph init` is to do. */
export interface InitOrder {
  readonly cwd: string;
  /** The backend to write; absent: the line is a comment, so the first agent that is found is taken. */
  readonly backend?: string;
  /** Overwrite what is there. */
  readonly force: boolean;
}

/**
 * Writes a commented `ralph.yml` and a `PROMPT.md`. Files that are there stay, unless forced: then only these two are replaced.
 *
 * @returns the names of the files that were written
 * @throws RalphError `init-exists` when a configuration is there already
 */
export function initProject({ cwd, backend, force }: InitOrder): { readonly written: readonly string[] } {
  const config = join(cwd, 'ralph.yml');
  const prompt = join(cwd, 'PROMPT.md');
  if (existsSync(config) && !force) {
    throw new RalphError({
      code: 'init-exists',
      what: 'ralph.yml is here already.',
      why: 'It is yours; it is not overwritten.',
      fix: 'Edit it, or write a new one with: ralph init --force',
      exitCode: 2,
    });
  }
  writeFileSync(config, toConfig(backend));
  const isPromptMine = !existsSync(prompt) || force;
  if (isPromptMine) writeFileSync(prompt, PROMPT);
  return { written: isPromptMine ? ['ralph.yml', 'PROMPT.md'] : ['ralph.yml'] };
}

const PROMPT = `# What is to be done

Describe the outcome, not the steps. Say how anybody can see that it is reached:

- [ ] \`npm test\` passes
- [ ] …
`;

function toConfig(backend: string | undefined): string {
  const line =
    backend === undefined
      ? '  # backend: claude        # first agent found on your PATH when left out: see `ralph doctor`'
      : `  backend: ${backend}`;
  return `# Ralph keeps agents at work until the task in PROMPT.md is really done.
# Every key: docs/guide/configuration.md. Start with: ralph run

cli:
${line}
  # Agents run unattended, so they are started with their own "ask nobody" flag.
  # permissions: default   # leaves that flag out
  # model: …

event_loop:
  prompt_file: PROMPT.md
  max_iterations: 30
  max_runtime_seconds: 2h
  # max_cost_usd: 10

# Ralph runs these commands itself before it believes that the work is done.
# gates:
#   - on: [task.complete]
#     run: npm test

# Without hats one agent does everything. A team hands on by events:
# hats:
#   planner:
#     description: Cuts the work into small steps.
#     triggers: [task.start, task.resume, build.done, build.blocked]
#     publishes: [build.task]
#   builder:
#     description: Does one step, test first.
#     triggers: [build.task]
#     publishes: [build.done, build.blocked]
`;
}
