import type { ToolDenial } from '../core/index.ts';
import { toOneLine } from './one-line.ts';

/** What the kernel says when somebody writes where the sandbox shows everything read-only. */
const KERNEL = /\bread-only file system\b|\bEROFS\b|\berofs\b/i;
/** What codex says instead: the patch was good, the file could not be written. */
export const UNWRITTEN = 'Failed to write file';

/** What the CLIs tell their models about a tool that is not there, or may not be used so. Seen in claude, gemini, opencode, pi, copilot and qwen. */
const RULES: readonly RegExp[] = [
  /No such tool available/,
  /permission_denied|permission to use \S+ (?:has been|was|is) denied|has been denied|requested permissions? to (?:use|write|edit)/i,
  /requires (?:user )?(?:confirmation|approval)|approval policy is never/i,
  /Tool (?:call |execution )?(?:denied|blocked|rejected)|denied by (?:policy|permission rules)|blocked by policy|policy_violation/i,
  /tool_not_registered|not found in registry|unavailable tool/i,
  /specified a rule which prevents you/,
  /^Tool '?\S+?'? (?:not found|does not exist)/,
  /^This hat may run only: /,
  /rejected by (?:user|policy)|^exec_command failed .* rejected/i,
  /is declined|was declined|user declined/i,
  /Denied by preToolUse hook/,
  /^Permission denied because no interactive user response/,
];

/** Whether the end of a tool's use says that it was stopped, and by what; `null` for any other end. */
export function toDenial(tool: string, ok: boolean | null, summary: string): ToolDenial | null {
  if (KERNEL.test(summary) || (ok === false && summary.startsWith(UNWRITTEN))) return { tool, layer: 'os', reason: toOneLine(summary) };
  if (ok === false && RULES.some((rule) => rule.test(summary))) return { tool, layer: 'flags', reason: toOneLine(summary) };
  return null;
}
