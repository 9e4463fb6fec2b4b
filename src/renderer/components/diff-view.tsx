import { diffLines } from '../lib/line-diff.ts'

const SIGNS = { same: ' ', added: '+', removed: '−', gap: '⋯' } as const
const LOOKS = {
  same: '',
  added: 'bg-good-soft',
  removed: 'bg-bad-soft',
  gap: 'text-faint',
} as const

/** Changed lines of an edit, marked by signs as well as colors. */
export function DiffView({ before, after, name }: { before: string; after: string; name: string }) {
  return (
    <pre
      className="my-2 max-h-104 overflow-auto rounded-small border bg-sunken py-2 font-mono text-meta leading-[1.55]"
      // The keyboard scrolls the element that has the focus.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      aria-label={name}
    >
      <code className="block min-w-max">
        {diffLines(before, after).map((line, index) => (
          <span key={index} className={`block px-3.5 ${LOOKS[line.kind]}`}>
            <span className="mr-3 inline-block w-2 text-soft select-none">{SIGNS[line.kind]}</span>
            {line.text}
          </span>
        ))}
      </code>
    </pre>
  )
}
