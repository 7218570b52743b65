import type { WorkCopies } from '../../src/ports/work-copies.ts';
import { createMemoryInbox } from './memory-inbox.ts';
import type { World } from './world-type.ts';

/** Copies of the folder in that world; now and then what was made in one cannot be brought in. */
export function createCopies(world: World): WorkCopies {
  let isBusy = false;
  const alone = async <T>(work: () => T): Promise<T> => {
    if (isBusy) world.faults.push('two copies were opened or taken over at the same time');
    isBusy = true;
    await Promise.resolve();
    isBusy = false;
    return work();
  };
  return {
    inboxOf: (name) => createMemoryInbox(world.copies.get(name) ?? []),
    asksOf: () => ({ watch: () => () => undefined, answer: () => undefined }),
    open: (name) =>
      alone(() => {
        if (world.copies.has(name)) world.faults.push(`copy ${name} was opened over work that nobody took`);
        world.copies.set(name, []);
      }),
    takeOver: (name) =>
      alone(() => {
        if (!world.copies.delete(name) || !world.random.chance(0.15)) return {};
        return { conflict: { paths: ['a.txt'], total: 1, kept: `copies/kept-${name}` } };
      }),
  };
}
