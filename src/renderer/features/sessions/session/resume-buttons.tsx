import { useMutation, useQuery } from '@tanstack/react-query'
import { SquareTerminal } from 'lucide-react'
import type { Session } from '../../../../shared/contract/sessions.ts'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { healthQuery } from '../../../lib/health-query.ts'
import { say } from '../../../lib/notices.ts'
import { canOpenTerminal, openTerminal } from '../../../lib/open-terminal.ts'
import { resumeCommand } from './resume-command.ts'

const LABEL = 'Resume in a terminal'

/** Resumes a session: the desktop app opens a terminal and has the command beside it, a browser has the command. */
export function ResumeButtons({ session }: { session: Session }) {
  const { data: health } = useQuery(healthQuery)
  const copy = {
    text: resumeCommand(session, health?.proxy_url ?? null),
    said: 'Copied the command that resumes this session: paste it in a terminal',
  }
  if (!canOpenTerminal()) return <CopyButton {...copy} label={LABEL} look="plain" size="small" />
  return (
    <span className="flex items-center">
      <OpenTerminalButton session={session} />
      <CopyButton {...copy} name="Copy the command that resumes this session, recorded by Aspy" size="icon-small" />
    </span>
  )
}

function OpenTerminalButton({ session }: { session: Session }) {
  const open = useMutation({
    mutationFn: () => openTerminal(session.id),
    // It goes to whatever Claude Code is set to, which may be past Aspy.
    onSuccess: () =>
      say('Opened a terminal. It is recorded where Claude Code is connected to Aspy; the command to copy always is'),
    onError: (error) => say(error.message, 'warn'),
  })
  return (
    <Button
      size="small"
      title="Open a terminal in its folder, with claude --resume"
      disabled={open.isPending}
      onClick={() => open.mutate()}
    >
      <SquareTerminal className="size-4" aria-hidden />
      {LABEL}
    </Button>
  )
}
