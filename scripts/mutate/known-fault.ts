/** A fault that once passed all tests, or could: put in, it must turn one of its tests red. */
export interface KnownFault {
  readonly name: string
  readonly why?: string
  /** Path from the root of the repository. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly from: string
  readonly to: string
  /** Test files that run with the fault; one must fail. */
  readonly tests: readonly string[]
  /** The tests run the built code, so the copy is built with the fault first. */
  readonly isBuilt?: boolean
}

/** Returns `text` with the fault in it. Throws if its text does not occur exactly once. */
export function withFault(fault: Pick<KnownFault, 'name' | 'from' | 'to'>, text: string): string {
  const parts = text.split(fault.from)
  if (parts.length !== 2) throw new Error(`${fault.name}: its text occurs ${parts.length - 1} times`)
  return parts.join(fault.to)
}
