import { LogOut } from 'lucide-react'
import { useEffect } from 'react'
import { CommandLine } from '../components/command-line.tsx'
import { Empty } from '../components/states.tsx'
import { typedAspy } from '../lib/typed-aspy.ts'

/** Replaces the window of a demo that was left: it has ended, and its sessions are gone. */
export function LeftDemo() {
  useEffect(() => {
    document.title = 'Demo ended · Aspy'
  }, [])
  return (
    <main className="flex h-full items-center justify-center bg-bg">
      <Empty icon={LogOut} title="You left the demo">
        <p>Its sessions are deleted. To record your own, start Aspy in a terminal:</p>
        <div className="mt-3">
          <CommandLine command={typedAspy()} />
        </div>
        <p className="mt-3">You can close this page.</p>
      </Empty>
    </main>
  )
}
