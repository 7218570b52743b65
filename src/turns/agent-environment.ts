import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findPackageFolder } from '../config/layers/package-files.ts';
import type { TurnId } from '../core/run/turn.ts';
import { toShellWord } from '../core/text/shell-word.ts';
import type { Environment } from '../core/values/environment.ts';
import { tryOr } from '../core/values/result.ts';

/** The names that agents are given; they are reserved, never read as configuration. */
export interface AgentEnvironmentFacts extends TurnId {
  readonly hat: string;
  readonly runId: string;
  readonly eventsFile: string;
  readonly contractFile: string;
  /** Absolute path of an executable `ralph`. */
  readonly command: string;
  readonly binDir: string;
}

/** The environment of an agent: everything that Ralph was started with, and what it needs to publish. */
export function toAgentEnvironment(base: Environment, facts: AgentEnvironmentFacts): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined) env[name] = value;
  }
  return {
    ...env,
    PATH: env['PATH'] === undefined ? facts.binDir : `${facts.binDir}${delimiter}${env['PATH']}`,
    RALPH_BIN: facts.command,
    RALPH_EVENTS_FILE: facts.eventsFile,
    RALPH_CONTRACT: facts.contractFile,
    RALPH_RUN_ID: facts.runId,
    RALPH_ITERATION: String(facts.iteration),
    RALPH_HAT: facts.hat,
  };
}

/**
 * Puts an executable `ralph` into a folder of the run's own, for `RALPH_BIN` and the agents' PATH: a shell script that starts exactly this
 * version with exactly this Node.js, whatever the agent's shell thinks of PATH.
 *
 * @returns its absolute path
 */
export function writeAgentCommand(binDir: string): string {
  const target = join(findPackageFolder(), 'bin', 'ralph.js');
  const path = join(binDir, 'ralph');
  const script = `#!/bin/sh\nexec ${toShellWord(process.execPath)} ${toShellWord(target)} "$@"\n`;
  mkdirSync(binDir, { recursive: true });
  if (tryOr(() => readFileSync(path, 'utf8'), null) === script) return path;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, script);
  chmodSync(draft, 0o755);
  renameSync(draft, path);
  return path;
}
