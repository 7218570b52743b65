import type { ChoiceSetting } from './setting.ts';

/** `isolation`. */
export const ISOLATION = {
  kind: 'choice',
  doc: 'A process namespace for every agent, gate and program of a tool: `auto` where the system allows it, `off`, or `required` to refuse a run without it.',
  values: ['auto', 'off', 'required'],
  default: 'auto',
} as const satisfies ChoiceSetting;

/** `gates[].isolation`. */
export const GATE_ISOLATION = {
  kind: 'choice',
  doc: '`off` for a command that must see the other processes of the machine, or needs `sudo`; as the run by default.',
  values: ['auto', 'off'],
} as const satisfies ChoiceSetting;
