import type { ChoiceSetting } from './setting.ts';

/** `cli.emit_tool`. */
export const EMIT_TOOL = {
  kind: 'choice',
  doc: 'The tool `emit_event` for agent CLIs: `auto` for hats with a profile, whose shell may be closed, `on` for all, or `off`.',
  values: ['auto', 'on', 'off'],
  default: 'auto',
} as const satisfies ChoiceSetting;
