import { describe, expect, it } from 'vitest';
import { createGateSlots } from './gate-run-state.ts';

/** Tasks that end when they are told to, and a record of what began. */
function createTasks(limit: number): {
  readonly start: (name: string, isAlone?: boolean) => void;
  readonly end: (name: string) => Promise<void>;
  readonly begun: string[];
} {
  const slots = createGateSlots(limit);
  const ends = new Map<string, () => void>();
  const begun: string[] = [];
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    begun,
    start: (name, isAlone = false) =>
      void slots.run(isAlone, () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      }),
    end: async (name) => {
      await settle();
      ends.get(name)?.();
      await settle();
    },
  };
}

describe('slots for gates', () => {
  it('let as many run at once as there are, the others in order', async () => {
    const tasks = createTasks(2);
    for (const name of ['a', 'b', 'c', 'd']) tasks.start(name);
    await tasks.end('');
    expect(tasks.begun).toEqual(['a', 'b']);
    await tasks.end('b');
    expect(tasks.begun).toEqual(['a', 'b', 'c']);
  });

  it('let one that is alone wait until nothing runs, and nothing run beside it', async () => {
    const tasks = createTasks(3);
    tasks.start('a');
    tasks.start('alone', true);
    tasks.start('b');
    await tasks.end('');
    expect(tasks.begun).toEqual(['a']);
    await tasks.end('a');
    expect(tasks.begun).toEqual(['a', 'alone']);
    await tasks.end('alone');
    expect(tasks.begun).toEqual(['a', 'alone', 'b']);
  });

  it('are free again after a task that threw', async () => {
    const slots = createGateSlots(1);
    await expect(slots.run(true, () => Promise.reject(new Error('defect')))).rejects.toThrow('defect');
    expect(await slots.run(false, async () => 'ran')).toBe('ran');
  });
});
