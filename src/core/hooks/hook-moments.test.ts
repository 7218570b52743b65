import { describe, expect, it } from 'vitest';
import { findHookEvent, HOOK_EVENTS, HOOK_MOMENTS } from './hook-moments.ts';

describe('the names of events', () => {
  it('mean one event each, whichever of them is written', () => {
    const names = HOOK_EVENTS.flatMap((event) => [event, ...HOOK_MOMENTS[event].aliases]);
    expect(new Set(names).size).toBe(names.length);
    for (const event of HOOK_EVENTS)
      for (const name of [event, ...HOOK_MOMENTS[event].aliases]) expect(findHookEvent(name), name).toBe(event);
  });

  it('are exact: nothing else is an event, nor what every object has', () => {
    for (const name of ['pretooluse', 'PreToolUse ', '', 'constructor', '__proto__']) expect(findHookEvent(name), name).toBeUndefined();
  });
});
