export const signIn = {
  title: 'Sign in',
  name: 'Name',
  password: 'Password',
  submit: 'Sign in',
  provider: 'Sign in with OpenID',
  or: 'or',
  byCode: 'Signing in by the link',
  help: 'An admin makes users with:',
  helpCommand: 'npx escapement users create NAME --role viewer',
  signedOut: 'Sign in to see this page.',
  linkOver: 'The link was used already, or is too old.',
};
