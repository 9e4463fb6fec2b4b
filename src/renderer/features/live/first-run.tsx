import { useNavigate } from '@tanstack/react-router'
import { Download, Radio, Sparkles, Terminal, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { AspyCommand } from '../../components/command-line.tsx'
import { ImportOffer } from '../../components/import-offer.tsx'
import { notify } from '../../lib/notices.ts'
import { call } from '../../lib/client.ts'
import { NextSteps, Step } from './first-steps.tsx'
import { canOpenTerminal, startClient } from '../../lib/open-terminal.ts'
import { useAction } from '../../lib/use-action.ts'

/** Shown before anything is recorded: three ways to start, and what comes next. */
export function FirstRun() {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-6 pb-10">
      <div className="mx-auto max-w-6xl pt-[6vh]">
        <div className="mb-7 flex items-center gap-4">
          <span className="flex size-12 shrink-0 items-center justify-center rounded-full bg-accent-soft text-accent">
            <Radio className="breathe size-6" strokeWidth={1.75} aria-hidden />
          </span>
          <div>
            <h2 className="text-heading font-semibold tracking-tight">Ready and listening</h2>
            <p className="text-soft">Nothing is recorded yet. Your first request appears here.</p>
          </div>
        </div>
        <h3 className="mb-3">
          <Step isDone={false}>Record a first session</Step>
        </h3>
        <div className="grid grid-cols-1 gap-4 min-[900px]:grid-cols-3">
          <Way
            icon={Terminal}
            title="Start Claude Code through Aspy"
            action={canOpenTerminal() ? <StartClient /> : <StartCommands />}
          >
            Claude Code works as usual. Its prompts, thinking and tool calls appear here as they happen. Codex works the
            same way.
          </Way>
          <Way icon={Download} title="Import past sessions" action={<PastSessions />}>
            Reads the transcripts that Claude Code keeps for 30 days, and those of Codex. Nothing is imported until you
            ask.
          </Way>
          <Way icon={Sparkles} title="Try the demo" action={<OpenDemo />}>
            Opens sample sessions in a new tab, in a store of their own. Your data is not touched.
          </Way>
        </div>
        <NextSteps />
      </div>
    </div>
  )
}

function StartCommands() {
  return (
    <div className="flex flex-col gap-2">
      <p className="text-small text-soft">In a terminal, in your project’s folder:</p>
      <AspyCommand args="run -- claude" />
      <AspyCommand args="run -- codex" />
    </div>
  )
}

/** Offers the import, and shows the sessions that it finds as they come. */
function PastSessions() {
  const navigate = useNavigate()
  return <ImportOffer onStart={() => void navigate({ to: '/sessions' })} />
}

function StartClient() {
  const start = useAction({
    mutationFn: startClient,
    onSuccess: (isStarted) => isStarted && notify('Opened a terminal with Claude Code.'),
  })
  return (
    <Button look="primary" disabled={start.isPending} onClick={() => start.mutate()}>
      Choose a folder…
    </Button>
  )
}

function OpenDemo() {
  const open = useAction({ mutationFn: openDemo })
  return (
    <Button look="primary" disabled={open.isPending} onClick={() => open.mutate()}>
      {open.isPending ? 'Starting…' : 'Open demo'}
    </Button>
  )
}

interface WayProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly action: ReactNode
  readonly children: ReactNode
}

function Way({ icon: Icon, title, action, children }: WayProps) {
  return (
    <section className="flex flex-col rounded-medium border bg-surface p-5" aria-label={title}>
      <Icon className="mb-3 size-5 text-accent" strokeWidth={1.9} aria-hidden />
      <h4 className="font-semibold">{title}</h4>
      <p className="mt-1 mb-4 text-small text-soft">{children}</p>
      <div className="mt-auto">{action}</div>
    </section>
  )
}

/** Starts the demo and opens it beside this window: in a new tab, or from the desktop app in the system's browser. */
async function openDemo(): Promise<void> {
  // A browser blocks a tab that opens long after the click, so it opens now and waits.
  const tab = window.aspy === undefined ? window.open('', '_blank') : null
  if (tab !== null) {
    tab.document.title = 'Aspy demo'
    tab.document.body.textContent = 'Starting the demo. This can take half a minute…'
  }
  try {
    const { link } = await call('demo.open', {})
    if (tab !== null) tab.location.replace(link)
    else if (window.aspy === undefined) window.location.assign(link)
    else window.open(link)
  } catch (error) {
    tab?.close()
    throw error
  }
}
