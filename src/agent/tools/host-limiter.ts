/** Lets a few requests per minute through to each host. */
export interface HostLimiter {
  /** Zero, and the request is counted; else how long to wait before the next. */
  readonly take: (host: string) => number;
}

const windowMs = 60_000;
const maxHosts = 1000;

/**
 * @param perMinute requests to one host
 * @param now milliseconds of any clock that only goes forward
 */
export function createHostLimiter(perMinute: number, now: () => number = () => performance.now()): HostLimiter {
  const times = new Map<string, readonly number[]>();
  return {
    take: (host) => {
      const at = now();
      const recent = (times.get(host) ?? []).filter((time) => at - time < windowMs);
      const [first] = recent;
      // Taken out and put in again, so that the map begins with whoever was asked least recently.
      times.delete(host);
      times.set(host, recent);
      for (const [oldest] of times) if (times.size > maxHosts) times.delete(oldest);
      if (first !== undefined && recent.length >= perMinute) return windowMs - (at - first);
      times.set(host, [...recent, at]);
      return 0;
    },
  };
}
