import { type BackendType, type CliType, isAgentCli } from '../core/index.ts';
import { amp } from './amp/index.ts';
import { auggie } from './auggie/index.ts';
import { claude } from './claude/index.ts';
import { cline } from './cline/index.ts';
import { codex } from './codex/index.ts';
import { copilot } from './copilot/index.ts';
import type { CliDescription } from './description.ts';
import { gemini } from './gemini/index.ts';
import { kiro } from './kiro/index.ts';
import { opencode } from './opencode/index.ts';
import { pi } from './pi/index.ts';
import { qwen } from './qwen/index.ts';

/**
 * Every agent CLI that is known, in the default order of `cli.priority`: one folder each. How a person signs in, what it tells of costs and whether
 * it was tried is in `AGENT_CLIS` of `core`, for pure code.
 */
const CLIS: Readonly<Record<CliType, CliDescription>> = { claude, codex, gemini, opencode, pi, copilot, qwen, cline, auggie, amp, kiro };

/** Every agent CLI that is known, in the default order of `cli.priority`. */
export function listBackends(): readonly CliDescription[] {
  return Object.values(CLIS);
}

/** The agent CLIs that can be probed. */
export const PROBED_CLIS: readonly CliType[] = listBackends().flatMap(({ type, probe }) => (probe === undefined ? [] : [type]));

/** What is known of a kind of agent that is an agent CLI; `null` for all others. */
export function findCli(type: BackendType): CliDescription | null {
  return isAgentCli(type) ? CLIS[type] : null;
}
