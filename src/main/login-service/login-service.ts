/** The app as something that starts when its user logs in and comes back when it fails. */
export interface LoginService {
  /** Executable and arguments, absolute paths. */
  readonly command: readonly [string, ...string[]]
  /** What the app needs of the environment that it will not find at login: proxies, certificates. */
  readonly env: Readonly<Record<string, string>>
  /** Where its complaints go. */
  readonly logFile: string
}

/** What each system calls it. */
export const SERVICE_NAMES = { systemd: 'aspy.service', launchd: 'dev.aspy.serve', tasks: 'Aspy' } as const

/** A user unit of systemd (systemd.service(5), systemd.syntax(7)). */
export function systemdUnit({ command, env }: LoginService): string {
  return [
    '[Unit]',
    'Description=Aspy, between Claude Code and its API',
    '',
    '[Service]',
    ...Object.entries(env).map(([name, value]) => `Environment=${systemdWord(`${name}=${value}`, false)}`),
    `ExecStart=${command.map((word) => systemdWord(word, true)).join(' ')}`,
    'Restart=on-failure',
    // Long enough that systemd never gives up: while another Aspy serves the same data, this one waits its turn.
    'RestartSec=10',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n')
}

/** Quoted: `%` begins a specifier everywhere, `$` a variable in a command only. */
function systemdWord(word: string, isCommand: boolean): string {
  const escaped = word
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('%', '%%')
  return `"${isCommand ? escaped.replaceAll('$', '$$$$') : escaped}"`
}

/** A property list for ~/Library/LaunchAgents (launchd.plist(5)). */
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
    '  <key>ThrottleInterval</key><integer>10</integer>',
    `  <key>StandardErrorPath</key><string>${xml(logFile)}</string>`,
    '</dict>',
    '</plist>',
    '',
  ].join('\n')
}

/** A task of Windows for one user (Task Scheduler schema 1.2); a task has no environment of its own. */
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
    // Without it a console window would stand open as long as the app runs.
    '    <Command>conhost.exe</Command>',
    `    <Arguments>${xml(['--headless', program, ...args].map(windowsWord).join(' '))}</Arguments>`,
    '  </Exec></Actions>',
    '</Task>',
    '',
  ].join('\r\n')
}

/** As CommandLineToArgvW takes a line apart again: backslashes count only before quotes. */
function windowsWord(word: string): string {
  if (/^[\w:\\/.=-]+$/.test(word)) return word
  return `"${word.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/\\+$/, '$&$&')}"`
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
