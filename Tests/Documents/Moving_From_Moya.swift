let gitHub = client.service(GitHub())
