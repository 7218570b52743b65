import type { Settings } from '../config/index.ts';
import type { BackendSpec } from '../core/index.ts';
import { canAttachEmit } from '../sandbox/index.ts';

/**
 * Whether the wearer of a hat has the tool `emit_event`: the native agent always, agent CLIs where it is attached to them (`cli.emit_tool`).
 *
 * @param hat a hat id or `ralph`
 */
export function hasEmitTool(
  settings: Pick<Settings, 'emitTool' | 'policies' | 'spec'>,
  hat: string,
  { type }: Pick<BackendSpec, 'type'>,
): boolean {
  if (type === 'native') return true;
  // What is written into the file by a tool is not read where that channel is off.
  if (!canAttachEmit(type) || !settings.spec.eventSources.includes('jsonl')) return false;
  if (settings.emitTool === 'on') return true;
  return settings.emitTool === 'auto' && (settings.policies?.[hat] ?? null) !== null;
}
