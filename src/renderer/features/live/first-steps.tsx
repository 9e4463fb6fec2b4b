import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Circle, CircleCheck, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { AnyEvent } from '../../../shared/event.ts'
import { hasQuotes, RECALL_RULE } from '../../../shared/recall-tools.ts'
import { outputText } from '../../../shared/tool-output.ts'
import { Button, buttonClasses } from '../../components/button.tsx'
import { AspyCommand } from '../../components/command-line.tsx'
import { useConnect, useSetup } from '../../lib/client-setup.ts'
import { call } from '../../lib/client.ts'
import { hasFound } from '../../lib/recent-searches.ts'

const HIDDEN_KEY = 'aspy.first-steps-hidden'

/** The tool with which the plugin searches. */
const RECALL_TOOL = `${RECALL_RULE}__aspy_recall_context`

/** Whether one of Claude's newest searches found something: an empty answer is a success, too. */
const recallThatFound = queryOptions({
  queryKey: ['tools.list', RECALL_TOOL, 'found'],
  queryFn: async ({ signal }) => {
    const { items } = await call('tools.list', { tool_name: RECALL_TOOL, limit: 20 }, signal)
    for (const { uuid, success } of items) {
      if (success !== true) continue
      const { items: results } = await call('events.children', { uuid, limit: 5 }, signal)
      // An event of the log has the payload of its kind.
      const events = results as readonly unknown[] as readonly AnyEvent[]
      if (events.some((event) => event.kind === 'tool_result' && hasQuotes(outputText(event.payload.output))))
        return true
    }
    return false
  },
  refetchInterval: ({ state }) => (state.data === true ? false : 5000),
})

interface FirstStep {
  readonly title: string
  readonly isDone: boolean
  readonly hint: ReactNode
  readonly action: ReactNode
}

/**
 * The steps from a first recording to a Claude that recalls. Each is done once the app sees it done. `refusal`: why this
 * app cannot connect Claude Code; null if it can; undefined while it is not known.
 */
function useFirstSteps(look: 'primary' | 'plain') {
  const status = useSetup().data
  const plugin = status?.state?.plugin
  const isConnected = plugin === 'installed'
  const hasRecalled = useQuery(recallThatFound).data === true
  const refusal =
    plugin === 'not_ours' ? 'Something else is in the folder of the plugin. See Settings.' : status?.refusal
  const steps: readonly FirstStep[] = [
    {
      title: 'Connect Claude Code',
      isDone: isConnected,
      hint: `Gives Claude a tool that searches what was recorded, and hooks that say what it does. ${refusal ?? 'You can disconnect it in Settings.'}`,
      action: refusal === null && !isConnected && <Connect look={look} />,
    },
    {
      title: 'Search',
      isDone: hasFound(),
      hint: 'Finds every prompt and answer, also those that Claude has forgotten, once something is recorded.',
      action: (
        <Link to="/recall" className={buttonClasses('plain', look === 'plain' ? 'medium' : 'small')}>
          Open Recall
        </Link>
      ),
    },
    {
      title: 'Let Claude recall',
      isDone: hasRecalled,
      hint: (
        <>
          Once Claude Code is connected, start it again. Ask it “what did we decide about …?” and allow the search. With
          -p it cannot ask you, so the command allows it:
        </>
      ),
      action: (
        <div className="w-full">
          <AspyCommand args={`run -- claude -p "Recall with aspy what we did last" --allowedTools ${RECALL_RULE}`} />
        </div>
      ),
    },
  ]
  return { steps, refusal }
}

/** The first steps after the first recording, below the ways to get one. */
export function NextSteps() {
  const { steps } = useFirstSteps('plain')
  return (
    <ol aria-label="Next steps" className="mt-6 flex flex-col gap-3">
      {steps.map((step) => (
        <NextStep key={step.title} {...step} />
      ))}
    </ol>
  )
}

/** The steps above the first sessions, and how to do the next one. It disappears when all are done, or when hidden. */
export function FirstStepsBar() {
  const { steps, refusal } = useFirstSteps('primary')
  const [isHidden, setHidden] = useState(() => localStorage.getItem(HIDDEN_KEY) !== null)
  const next = steps.find(({ isDone }) => !isDone)
  if (isHidden || refusal !== null || next === undefined) return null
  const hide = () => {
    localStorage.setItem(HIDDEN_KEY, 'yes')
    setHidden(true)
  }
  return (
    <section aria-label="First steps" className="flex items-start gap-3 border-t bg-accent-tint px-4 py-2 text-small">
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <div className="flex min-h-7 flex-wrap items-center gap-x-5 gap-y-1">
          <Step isDone>Record a session</Step>
          {steps.map(({ title, isDone }) => (
            <Step key={title} isDone={isDone}>
              {title}
            </Step>
          ))}
        </div>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-soft">
          <p className="max-w-3xl min-w-0">
            <span className="font-medium text-ink">Next: {next.title}.</span> {next.hint}
          </p>
          {next.action}
        </div>
      </div>
      <Button look="ghost" size="icon" aria-label="Hide the first steps" onClick={hide}>
        <X className="size-4" aria-hidden />
      </Button>
    </section>
  )
}

/** Connects Claude Code by one click. */
function Connect({ look }: { readonly look: 'primary' | 'plain' }) {
  const connect = useConnect()
  return (
    <>
      <Button
        look={look}
        size={look === 'plain' ? 'medium' : 'small'}
        disabled={connect.isPending}
        onClick={() => connect.mutate({ thinking: false })}
      >
        Connect Claude Code
      </Button>
      {connect.error !== null && (
        <span role="alert" className="text-bad">
          {connect.error.message}
        </span>
      )}
    </>
  )
}

function Tick({ isDone }: { readonly isDone: boolean }) {
  const Icon = isDone ? CircleCheck : Circle
  return (
    <Icon
      className={`size-4 shrink-0 ${isDone ? 'text-good' : 'text-faint'}`}
      role="img"
      aria-label={isDone ? 'Done' : 'To do'}
    />
  )
}

/** Name of a step with its tick. */
export function Step({ isDone, children }: { readonly isDone: boolean; readonly children: ReactNode }) {
  return (
    <span className={`flex items-center gap-2 ${isDone ? 'text-soft' : 'font-medium'}`}>
      <Tick isDone={isDone} />
      {children}
    </span>
  )
}

function NextStep({ isDone, title, hint, action }: FirstStep) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-medium border bg-surface px-5 py-4">
      <div className="flex min-w-0 flex-1 basis-72 items-start gap-3">
        <span className="flex h-6 items-center">
          <Tick isDone={isDone} />
        </span>
        <div className="min-w-0">
          <h3 className="font-semibold">{title}</h3>
          <p className="text-small text-soft">{hint}</p>
        </div>
      </div>
      {action}
    </li>
  )
}
