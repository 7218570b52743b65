interface Member {
  readonly type: string;
}

/**
 * A function for each member of a union, called with `Given` and the member. It is total: who adds a member to the union is told by the compiler of every table that
 * lacks it.
 */
export type Handlers<Union extends Member, Given extends readonly unknown[], Result = void> = {
  readonly [Type in Union['type']]: (...args: [...given: Given, member: Extract<Union, { readonly type: Type }>]) => Result;
};

export function handle<Union extends Member, Given extends readonly unknown[], Result>(
  handlers: Handlers<Union, Given, Result>,
  member: Union,
  ...given: Given
): Result {
  // The name and the argument belong to one member, which the compiler does not follow through an index.
  const handler = handlers[member.type as Union['type']] as (...args: [...Given, Union]) => Result;
  return handler(...given, member);
}

/** For members that change nothing where they come. */
export const ignore = (): void => undefined;
