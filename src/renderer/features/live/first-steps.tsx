import { Link } from '@tanstack/react-router'
import { Circle, CircleCheck, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button, buttonClasses } from '../../components/button.tsx'
import { useConnect, useSetup } from '../../lib/client-setup.ts'
import { hasFound } from '../../lib/recent-searches.ts'

const HIDDEN_KEY = 'aspy.first-steps-hidden'

/** The steps from an empty store to a Claude that recalls. Each is done once the app sees it done. */
function useFirstSteps() {
  const status = useSetup().data
  const plugin = status?.state?.plugin
  return {
    isConnected: plugin === 'installed',
    hasSearched: hasFound(),
    /** Why this app cannot connect Claude Code; null if it can; undefined while it is not known. */
    refusal: plugin === 'not_ours' ? 'Something else is in the folder of the plugin. See Settings.' : status?.refusal,
  }
}

/** The first steps after the first recording, below the ways to get one. */
export function NextSteps() {
  const { isConnected, hasSearched, refusal } = useFirstSteps()
  return (
    <ol aria-label="Next steps" className="mt-6 flex flex-col gap-3">
      <NextStep
        isDone={isConnected}
        title="Let Claude recall"
        action={refusal === null && !isConnected && <Connect look="plain" />}
      >
        Adds a tool with which Claude searches what was recorded, and hooks, agents, a skill and a command: ask it “what
        did we decide about …?” It asks whether it may. A claude that you start without Aspy is recorded in part.{' '}
        {refusal ?? 'You can disconnect it in Settings.'}
      </NextStep>
      <NextStep
        isDone={hasSearched}
        title="Search"
        action={
          <Link to="/recall" className={buttonClasses()}>
            Open Recall
          </Link>
        }
      >
        Finds every prompt and answer, also those that Claude has forgotten, once something is recorded.
      </NextStep>
    </ol>
  )
}

/** The steps that are left, on one line above the first sessions. It disappears when all are done, or when hidden. */
export function FirstStepsBar() {
  const { isConnected, hasSearched, refusal } = useFirstSteps()
  const [isHidden, setHidden] = useState(() => localStorage.getItem(HIDDEN_KEY) !== null)
  if (isHidden || refusal !== null || (isConnected && hasSearched)) return null
  const hide = () => {
    localStorage.setItem(HIDDEN_KEY, 'yes')
    setHidden(true)
  }
  return (
    <section
      aria-label="First steps"
      className="flex flex-wrap items-center gap-x-5 gap-y-2 border-t bg-accent-tint px-4 py-2 text-small"
    >
      <Step isDone>Recorded</Step>
      <span className="flex items-center gap-2.5">
        <Step isDone={isConnected}>Let Claude recall</Step>
        {!isConnected && <Connect look="primary" />}
      </span>
      <span className="flex items-center gap-2.5">
        <Step isDone={hasSearched}>First search</Step>
        {!hasSearched && (
          <Link to="/recall" className={buttonClasses('plain', 'small')}>
            Open Recall
          </Link>
        )}
      </span>
      <Button look="ghost" size="icon" className="ml-auto" aria-label="Hide the first steps" onClick={hide}>
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

interface NextStepProps {
  readonly isDone: boolean
  readonly title: string
  readonly action: ReactNode
  readonly children: ReactNode
}

function NextStep({ isDone, title, action, children }: NextStepProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-medium border bg-surface px-5 py-4">
      <div className="flex min-w-0 flex-1 basis-72 items-start gap-3">
        <span className="flex h-6 items-center">
          <Tick isDone={isDone} />
        </span>
        <div className="min-w-0">
          <h3 className="font-semibold">{title}</h3>
          <p className="text-small text-soft">{children}</p>
        </div>
      </div>
      {action}
    </li>
  )
}
