import { isJsonObject, type Json } from '../core/index.ts';
import { readWholeFile } from './read-whole-file.ts';
import type { AnyTool } from './tool.ts';
import type { ToolContext } from './tool-context.ts';
import { EMIT_EVENT } from './tools/emit-event.ts';

/**
 * Whether a call that was cut off may be made once more: by the hints of its tool, because what an interrupted turn published is withdrawn by the loop, or
 * because the file that it was to change still is what was read. False for a tool that is not offered. Never rejects.
 *
 * @param offered the tools that the hat may use
 */
export async function mayRepeat(offered: readonly AnyTool[], name: string, args: Json, context: ToolContext): Promise<boolean> {
  const tool = offered.find((candidate) => candidate.name === name);
  if (tool === undefined) return false;
  if (tool.hints.readOnly || tool.hints.idempotent || name === EMIT_EVENT) return true;
  if (tool.group !== 'fs_write' || !isJsonObject(args) || typeof args['path'] !== 'string') return false;
  try {
    return await isAsRead(args['path'], context);
  } catch {
    return false;
  }
}

async function isAsRead(path: string, { jail, session }: ToolContext): Promise<boolean> {
  const verdict = await jail.resolveWrite(path);
  if ('refused' in verdict) return false;
  const known = session.reads.get(verdict.path);
  if (known === undefined || known.sha256 === '') return false;
  const file = await readWholeFile(verdict.path, path);
  return !('refused' in file) && file.record.sha256 === known.sha256;
}
