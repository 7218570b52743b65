/** The programs that put another one into namespaces of its own. Plain data: decided once, handed on to every start. */
export interface Isolation {
  /** `unshare` and its words, up to where the inner program follows. */
  readonly enter: readonly string[];
  /** The shell that is process 1 inside. */
  readonly shell: string;
  readonly mount: string;
  /** What takes the rights of process 1 from the program, where it has some to lose, and gives it a session of its own. */
  readonly drop: readonly string[];
  /** Whether the namespaces belong to a user namespace, in which `sudo` and other setuid programs do not work. */
  readonly hasUserNamespace: boolean;
  /** Folders that exist and that an empty one covers. */
  readonly covered: readonly string[];
  /** Folders that exist and that nothing inside can change. */
  readonly readOnly: readonly string[];
  /** Folders that exist, below those, and that can be changed all the same. */
  readonly writable: readonly string[];
}
