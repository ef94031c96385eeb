"""Options that several commands take, under one name each."""

import click

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON of a stable shape.")
project_option = click.option("--project", default="", help="The repository, such as acme/api.")
language_option = click.option(
    "--language", default="", help="The task's language, such as python."
)
domain_option = click.option(
    "--domain", default="", help="The field of work, such as data-analysis."
)
holdout_option = click.option(
    "--holdout",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Odds of withholding one memory at random, to learn what showing them does.",
)
