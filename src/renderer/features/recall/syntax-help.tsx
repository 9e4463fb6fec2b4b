import { CircleHelp } from 'lucide-react'
import { RECALL_SYNTAX } from '../../../shared/recall-syntax.ts'
import { Button } from '../../components/button.tsx'

interface SyntaxHelpProps {
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
}

/** The question mark that shows and hides the search syntax. */
export function SyntaxHelp({ isOpen, onOpen }: SyntaxHelpProps) {
  return (
    <Button
      look="ghost"
      size="icon"
      aria-label="Search syntax"
      aria-expanded={isOpen}
      className="mr-auto"
      onClick={() => onOpen(!isOpen)}
    >
      <CircleHelp className="size-4" aria-hidden />
    </Button>
  )
}

interface SyntaxExamplesProps {
  /** Tries an example. */
  readonly onTry: (query: string) => void
}

/** The search syntax, as examples to click. */
export function SyntaxExamples({ onTry }: SyntaxExamplesProps) {
  return (
    <ul aria-label="Search syntax" className="grid min-w-0 gap-x-6 gap-y-1 min-[900px]:grid-cols-2">
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
  )
}
