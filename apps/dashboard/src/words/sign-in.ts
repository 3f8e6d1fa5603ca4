export const signIn = {
  title: 'Sign in',
  name: 'Name',
  password: 'Password',
  submit: 'Sign in',
  provider: 'Sign in with OpenID',
  providerApart: 'Sign in with OpenID in another tab',
  over: 'Your session has ended',
  overWords:
    'Sign in again, and go on where you were: what you have typed is still there. If somebody else signs in, or you leave, it is lost.',
  leave: 'Leave this page',
  or: 'or',
  byCode: 'Signing in by the link',
  help: 'An admin makes users with:',
  helpCommand: 'npx escapement users create NAME --role viewer',
};
