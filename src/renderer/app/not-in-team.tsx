import { Users } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { Empty } from '../components/states.tsx'
import { history, showHistory } from '../lib/history.ts'
import { useOperation } from '../lib/operation.ts'

/**
 * Views that a team's history cannot fill, and why. Health and settings belong to a machine, so only a team's server
 * lacks them.
 */
const MISSING: readonly { path: string; title: string; why: string; serverOnly?: true }[] = [
  {
    path: '/live',
    title: "A team's history has no live feed",
    why: 'Laptops send what they recorded in batches, seconds to days later. Sessions lists what has arrived.',
  },
  {
    path: '/exchanges/',
    title: "A team's history has no requests",
    why: 'Bodies of requests never leave the laptop that recorded them. Open the request there.',
  },
  {
    path: '/costs/receipt',
    title: "A team's history has no receipts",
    why: 'A receipt needs the price and tier of each call, which stay on the laptop that recorded them.',
  },
  {
    path: '/costs/advice',
    title: "A team's history has no suggestions",
    why: 'They come from the requests, files and settings on each laptop.',
  },
  {
    path: '/health',
    title: 'Health is shown on each laptop',
    why: "Each laptop's own window shows whether it records and what waits for the team.",
    serverOnly: true,
  },
  {
    path: '/guard',
    title: 'The guard is on each laptop',
    why: 'Caps hold the requests of the machine that they are set on.',
    serverOnly: true,
  },
  {
    path: '/settings',
    title: 'Settings are on each laptop',
    why: "A team's server is set up with the flags of aspy team serve.",
    serverOnly: true,
  },
]

/** Shows its children, or a note that the team's history has no such view. */
export function TeamGate({ path, children }: { path: string; children: ReactNode }) {
  const { data } = useOperation('team.get', {})
  const isServer = data?.is_server ?? false
  const missing =
    history === 'team' || isServer
      ? MISSING.find((view) => path.startsWith(view.path) && (isServer || view.serverOnly !== true))
      : undefined
  if (missing === undefined) return children
  return (
    <Empty icon={Users} title={missing.title}>
      <p className="mb-4">{missing.why}</p>
      {history === 'team' && <Button onClick={() => showHistory('mine')}>Show mine</Button>}
    </Empty>
  )
}
