/** An app that starts when the user logs in, and restarts if it fails. */
export interface LoginService {
  /** Executable and arguments, absolute paths. */
  readonly command: readonly [string, ...string[]]
  /** Variables that the app needs but that are not set at login, such as proxies and certificates. */
  readonly env: Readonly<Record<string, string>>
  /** File for its error output. */
  readonly logFile: string
}

/** Seconds that streams have to end when the service is stopped. */
const STREAMS_S = 600

/** The service's name on each system. */
export const SERVICE_NAMES = { systemd: 'aspy.service', launchd: 'dev.aspy.serve', tasks: 'Aspy' } as const

/** Returns a systemd user unit (systemd.service(5), systemd.syntax(7)). */
export function systemdUnit({ command, env }: LoginService): string {
  return [
    '[Unit]',
    'Description=Aspy, between Claude Code and its API',
    // Never gives up.
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    ...Object.entries(env).map(([name, value]) => `Environment=${systemdWord(`${name}=${value}`, false)}`),
    `ExecStart=${command.map((word) => systemdWord(word, true)).join(' ')}`,
    'Restart=on-failure',
    'RestartSec=1',
    // Only the keeper: it ends its app in order. If it was killed itself, streams go on in its app, which the next one replaces.
    'KillMode=process',
    `TimeoutStopSec=${STREAMS_S}`,
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n')
}

/** Quotes a word. `%` starts a specifier everywhere; `$` starts a variable only in a command. */
function systemdWord(word: string, isCommand: boolean): string {
  const escaped = word
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('%', '%%')
  return `"${isCommand ? escaped.replaceAll('$', '$$$$') : escaped}"`
}

/** Returns a property list for ~/Library/LaunchAgents (launchd.plist(5)). */
export function launchAgent({ command, env, logFile }: LoginService): string {
  const texts = (words: readonly string[]) => words.map((word) => `    <string>${xml(word)}</string>`)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key><string>${SERVICE_NAMES.launchd}</string>`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...texts(command),
    '  </array>',
    '  <key>EnvironmentVariables</key>',
    '  <dict>',
    ...Object.entries(env).map(([name, value]) => `    <key>${xml(name)}</key><string>${xml(value)}</string>`),
    '  </dict>',
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
    '  <key>ThrottleInterval</key><integer>1</integer>',
    // As on systemd: a keeper that was killed leaves its app to the next one.
    '  <key>AbandonProcessGroup</key><true/>',
    `  <key>ExitTimeOut</key><integer>${STREAMS_S}</integer>`,
    `  <key>StandardErrorPath</key><string>${xml(logFile)}</string>`,
    '</dict>',
    '</plist>',
    '',
  ].join('\n')
}

/** Returns a Windows task for one user (Task Scheduler schema 1.2). A task cannot set environment variables. */
export function scheduledTask({ command: [program, ...args] }: LoginService, user: string): string {
  return [
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    `  <Triggers><LogonTrigger><UserId>${xml(user)}</UserId></LogonTrigger></Triggers>`,
    `  <Principals><Principal id="Author"><UserId>${xml(user)}</UserId><LogonType>InteractiveToken</LogonType></Principal></Principals>`,
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    '    <RestartOnFailure><Interval>PT1M</Interval><Count>999</Count></RestartOnFailure>',
    '  </Settings>',
    '  <Actions Context="Author"><Exec>',
    // Without conhost, a console window would stay open while the app runs.
    '    <Command>conhost.exe</Command>',
    `    <Arguments>${xml(['--headless', program, ...args].map(windowsWord).join(' '))}</Arguments>`,
    '  </Exec></Actions>',
    '</Task>',
    '',
  ].join('\r\n')
}

/** Quotes a word for CommandLineToArgvW, which treats backslashes specially only before quotes. */
function windowsWord(word: string): string {
  if (/^[\w:\\/.=-]+$/.test(word)) return word
  return `"${word.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/\\+$/, '$&$&')}"`
}

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
