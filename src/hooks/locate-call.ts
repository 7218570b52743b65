import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CALL_ARGUMENTS, type JudgedCall } from '../core/hooks/called-tool.ts';
import { readOwn } from '../core/values/json.ts';

/**
 * A call with the place where its path really leads, so that a rule about `secret/` is not got round by a link to it. What is not there yet is looked for in
 * the folder above it. Never throws.
 *
 * @param cwd absolute
 */
export function locateCall(call: Pick<JudgedCall, 'tool' | 'input'>, cwd: string): JudgedCall {
  const row = readOwn(CALL_ARGUMENTS, call.tool);
  const path = row?.kind === 'path' ? (readOwn(call.input, row.key) ?? row.unsaid) : undefined;
  const workspace = toReal(cwd);
  if (typeof path !== 'string' || path.length > MAX_PATH) return { ...call, workspace };
  return { ...call, workspace, realPath: toReal(resolve(workspace, path)) };
}

const MAX_PATH = 4096;

function toReal(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(toReal(above), basename(path));
  }
}
