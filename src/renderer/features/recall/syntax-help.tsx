import { CircleHelp } from 'lucide-react'
import { useState } from 'react'
import { RECALL_SYNTAX } from '../../../shared/recall-syntax.ts'
import { Button } from '../../components/button.tsx'

interface SyntaxHelpProps {
  /** Tries an example. */
  readonly onTry: (query: string) => void
}

/** The search syntax behind a question mark: examples to click. */
export function SyntaxHelp({ onTry }: SyntaxHelpProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        look="ghost"
        size="icon"
        aria-label="Search syntax"
        aria-expanded={isOpen}
        className="mr-auto"
        onClick={() => setOpen(!isOpen)}
      >
        <CircleHelp className="size-4" aria-hidden />
      </Button>
      {isOpen && (
        <ul
          aria-label="Search syntax"
          className="order-last grid min-w-0 basis-full gap-x-6 gap-y-1 min-[900px]:grid-cols-2"
        >
          {RECALL_SYNTAX.map(({ example, meaning }) => (
            <li key={example} className="flex min-w-0 items-center gap-2 text-meta text-faint">
              <Button look="ghost" size="small" className="font-mono" onClick={() => onTry(example)}>
                {example}
              </Button>
              <span className="truncate" title={meaning}>
                {meaning}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
