import { Circle, CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AspyEvent } from '../../../../../shared/event.ts'
import type { AskedQuestion } from '../../../../../shared/tool-shape.ts'
import { visibleText } from '../../../../../shared/visible-text.ts'
import { FirstOf } from '../../../../components/first-of.tsx'
import { answersOf } from '../../../../../shared/tool-output.ts'

interface QuestionListProps {
  readonly questions: readonly AskedQuestion[]
  readonly result: AspyEvent<'tool_result'> | null
}

/** Questions with their options; chosen ones are marked, and a free answer follows. */
export function QuestionList({ questions, result }: QuestionListProps): ReactNode {
  const answers = result === null ? new Map<string, string>() : answersOf(result.payload.output, result.payload.detail)
  return (
    <FirstOf items={questions} noun="questions">
      {(shown) =>
        shown.map((question, at) => {
          const answer = answers.get(question.text) ?? null
          const chosen = new Set(
            question.options
              .map(({ label }) => label)
              .filter((label) => answer === label || answer?.split(', ').includes(label) === true),
          )
          return (
            <section key={at} className="my-2" aria-label={question.text}>
              <p className="traffic text-small font-medium">{visibleText(question.text)}</p>
              <FirstOf items={question.options} noun="options">
                {(options) => (
                  <ul className="mt-1 flex flex-col gap-1">
                    {options.map(({ label, about }) => {
                      const isChosen = chosen.has(label)
                      const Icon = isChosen ? CircleCheck : Circle
                      return (
                        <li key={label} className={`flex items-start gap-2 text-small ${isChosen ? '' : 'text-soft'}`}>
                          <Icon
                            className={`mt-0.5 size-4 shrink-0 ${isChosen ? 'text-good' : 'text-faint'}`}
                            role="img"
                            aria-label={isChosen ? 'Chosen' : 'Not chosen'}
                          />
                          <span className="min-w-0">
                            <span className={`traffic ${isChosen ? 'font-medium' : ''}`}>{visibleText(label)}</span>
                            {about !== null && <span className="ml-2 text-meta text-faint">{visibleText(about)}</span>}
                          </span>
                        </li>
                      )
                    })}
                  </ul>
                )}
              </FirstOf>
              {answer !== null && chosen.size === 0 && (
                <p className="traffic mt-1 border-l-2 border-good pl-2 text-small">{visibleText(answer)}</p>
              )}
              {result?.payload.rejected === true && <p className="mt-1 text-meta text-faint">Not answered</p>}
            </section>
          )
        })
      }
    </FirstOf>
  )
}
