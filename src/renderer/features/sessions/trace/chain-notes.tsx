interface ChainNotesProps {
  readonly truncated: boolean
  readonly gap: boolean
  readonly cycle: boolean
}

/** Describes what is missing from a chain of causes; empty if the chain is complete. */
export function ChainNotes({ truncated, gap, cycle }: ChainNotesProps) {
  return (
    <>
      {truncated && (
        <p className="mb-1 text-meta text-warn">The chain is longer. Only the nearest steps and the root are shown.</p>
      )}
      {(gap || cycle) && (
        <p className="mb-1 text-meta text-warn">
          The chain has a {gap ? 'gap' : 'loop'}: some of its events were not recorded.
        </p>
      )}
    </>
  )
}
