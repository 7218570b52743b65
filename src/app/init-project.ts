import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BACKEND_TYPES, RalphError } from '../core/index.ts';

/** What `ralph init` is to do. */
export interface InitOrder {
  readonly cwd: string;
  /** The backend to write; absent: the line is a comment, so the first agent that is found is taken. */
  readonly backend?: string;
  /** Overwrite what is there. */
  readonly force: boolean;
}

/**
 * Writes a commented `ralph.yml` and a `PROMPT.md`. Files that are there stay; forced, they are kept as `ralph.yml.old` and `PROMPT.md.old`.
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
      fix: 'Edit it, or write both files anew with: ralph init --force (what is there is kept as ralph.yml.old and PROMPT.md.old)',
      exitCode: 2,
    });
  }
  if (backend !== undefined && !BACKEND_TYPES.some((type) => type === backend)) throw toUnknownBackend(backend);
  for (const file of force ? [config, prompt] : []) if (existsSync(file)) renameSync(file, `${file}.old`);
  writeFileSync(config, toConfig(backend));
  const isPromptMine = !existsSync(prompt);
  if (isPromptMine) writeFileSync(prompt, PROMPT);
  return { written: isPromptMine ? ['ralph.yml', 'PROMPT.md'] : ['ralph.yml'] };
}

function toUnknownBackend(backend: string): RalphError {
  return new RalphError({
    code: 'init-backend',
    what: `There is no backend ${JSON.stringify(backend.slice(0, 60))}.`,
    fix: `Backends: ${BACKEND_TYPES.filter((type) => type !== 'scripted').join(', ')}.`,
    exitCode: 2,
  });
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
  max_runtime_seconds: 7200
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
