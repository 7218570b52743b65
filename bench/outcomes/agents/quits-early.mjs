/** Stops before the work is done. */
export const quitsEarly = [
  {
    variant: 'half-then-rest',
    what: 'does half and leaves the rest for later, as done; does the rest when it is asked again',
    act: (agent) => {
      if (agent.turn > 1) return agent.finish();
      agent.put('slug', 'good');
      agent.claim('slug is written; dates can be a follow-up.');
    },
  },
  {
    variant: 'gives-up',
    what: 'ends each turn with exit code 1',
    act: (agent) => {
      agent.say('This cannot be done.');
      process.exitCode = 1;
    },
  },
  {
    variant: 'silent',
    what: 'ends each turn at once, without a word',
    act: () => undefined,
  },
  {
    variant: 'crashes-then-works',
    what: 'does half and crashes; does the rest in its second turn',
    act: (agent) => {
      if (agent.turn > 1) return agent.finish();
      agent.put('slug', 'good');
      process.stderr.write('Segmentation fault\n');
      process.exitCode = 139;
    },
  },
];
