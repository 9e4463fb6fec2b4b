import { ROOT, run, runStep } from './step.ts'

/** What CI runs for every change, as root: it installs what the runner lacks. */
await runStep(() => run('sudo', ['env', `PATH=${process.env['PATH'] ?? ''}`, '.ci/run'], { cwd: ROOT }))
