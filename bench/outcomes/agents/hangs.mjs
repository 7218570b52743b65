/** Does not end its first turn; does all in the second. */
export const hangs = [
  {
    variant: 'silent',
    what: 'says nothing and does not end',
    act: (agent) => (agent.turn > 1 ? agent.finish() : agent.hang()),
  },
  {
    variant: 'chatters',
    what: 'writes a dot every 100 ms and does not end',
    act: (agent) => (agent.turn > 1 ? agent.finish() : setInterval(() => process.stdout.write('.'), 100)),
  },
  {
    variant: 'after-its-claim',
    what: 'does half, claims the end, and does not end',
    act: (agent) => {
      if (agent.turn > 1) return agent.finish();
      agent.doHalf();
      agent.claim('All done.');
      agent.hang();
    },
  },
  {
    variant: 'deaf',
    what: 'does not end, not at SIGTERM or SIGINT either',
    act: (agent) => {
      if (agent.turn > 1) return agent.finish();
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
      agent.hang();
    },
  },
];
